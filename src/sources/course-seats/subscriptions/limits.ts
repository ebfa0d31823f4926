/** How much one person, one section and one caller may ask for. */
export interface Limits {
  /** Watches of one address that their owner has confirmed. Nobody takes thirty courses. */
  contactWatchesMax: number;
  /**
   * Watches of one address that wait for a confirmation, where anybody may have asked for them: apart from the others, so that
   * whoever types in a stranger's address takes nothing from them.
   */
  contactUnconfirmedMax: number;
  /** Watchers of one section: against a flood, not a promise. Those who come at the same instant may pass it together. */
  sectionWatchesMax: number;
  /** New watches of one caller in an hour, in one process; a whole dormitory may be one caller. */
  callerOrdersPerHour: number;
  /** Verification mails to one address that nobody answered: one in this time, and so many in a day, whoever asks for them. */
  verificationPauseMs: number;
  verificationsPerDay: number;
  /** A link to what is watched already is mailed only while there were fewer: enough are left to confirm something new. */
  linksPerDay: number;
}

export const defaultLimits: Limits = {
  contactWatchesMax: 30,
  contactUnconfirmedMax: 10,
  sectionWatchesMax: 100_000,
  callerOrdersPerHour: 100,
  verificationPauseMs: 600_000,
  verificationsPerDay: 6,
  linksPerDay: 3,
};
