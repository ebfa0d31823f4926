/** Where the seat is to be had: the register with term and index filled in. Undefined where a deployment knows none. */
export type RegistrationUrl = (section: { termId: string; indexNumber: string }) => string | undefined;

/** The register of the university whose feed this is; for another feed, and for the sample campus, it would be a lie. */
export const rutgersRegistrationUrl: RegistrationUrl = ({ termId, indexNumber }) =>
  `https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas&semesterSelection=${encodeURIComponent(termId)}&indexList=${encodeURIComponent(indexNumber)}`;
