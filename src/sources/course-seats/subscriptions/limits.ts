/** How much one person, one section and one caller may ask for. */
export interface Limits {
  /** Live watches of one address. Nobody takes thirty courses; whoever types in a stranger's address stops here. */
  contactWatchesMax: number;
  /** Watchers of one section: against a flood, not a promise. Those who come at the same instant may pass it together. */
  sectionWatchesMax: number;
  /** New watches of one caller in an hour, in one process; a whole dormitory may be one caller. */
  callerOrdersPerHour: number;
  /** Verification mails to one address: one in this time, and so many in a day, whoever asks for them. */
  verificationPauseMs: number;
  verificationsPerDay: number;
}

export const defaultLimits: Limits = {
  contactWatchesMax: 30,
  sectionWatchesMax: 100_000,
  callerOrdersPerHour: 100,
  verificationPauseMs: 600_000,
  verificationsPerDay: 6,
};
