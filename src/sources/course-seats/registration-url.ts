/** Where a student adds a section to their schedule, with the section filled in already. */
export function registrationUrl(termId: string, indexNumber: string): string {
  const url = new URL('https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas');
  url.searchParams.set('semesterSelection', termId);
  url.searchParams.set('indexList', indexNumber);
  return url.href;
}
