/** Where a student adds a section to their schedule, with term and index filled in. Undefined where a deployment knows no such place. */
export type RegistrationUrl = (section: { termId: string; indexNumber: string }) => string | undefined;

/** Of the university whose feed this is. */
export const rutgersRegistrationUrl: RegistrationUrl = ({ termId, indexNumber }) => {
  const url = new URL('https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas');
  url.searchParams.set('semesterSelection', termId);
  url.searchParams.set('indexList', indexNumber);
  return url.href;
};

/** Of a sample: its seats are not to be had anywhere. */
export const noRegistrationUrl: RegistrationUrl = () => undefined;
