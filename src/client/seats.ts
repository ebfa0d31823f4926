import type { Call, CallOptions } from './call.ts';
import { pathOf } from './request.ts';
import type {
  Course,
  CourseQuery,
  CourseWish,
  DeliveryWindow,
  NewCourseWatches,
  NewWatch,
  Opening,
  Section,
  SectionList,
  SectionWish,
  Watch,
} from './seat-shapes.ts';

/** Course seats: what there is to watch, and watches on behalf of students. A watch is changed with its token, which is a secret. */
export interface Seats {
  /** By code, index or words of the title, best first; with all sections. */
  search(query: CourseQuery, options?: CallOptions): Promise<Course[]>;
  section(term: string, index: string, options?: CallOptions): Promise<Section>;
  /** Asking again is safe: `existing` says that this address watched it already. */
  watch(wish: SectionWish, options?: CallOptions): Promise<NewWatch>;
  /** All sections that the course has now. */
  watchCourse(wish: CourseWish, options?: CallOptions): Promise<NewCourseWatches>;
  get(token: string, options?: CallOptions): Promise<Watch>;
  /** All that the owner of this watch watches, itself included. */
  siblings(token: string, options?: CallOptions): Promise<Watch[]>;
  confirm(token: string, options?: CallOptions): Promise<Watch>;
  pause(token: string, options?: CallOptions): Promise<Watch>;
  resume(token: string, options?: CallOptions): Promise<Watch>;
  cancel(token: string, options?: CallOptions): Promise<Watch>;
  /** Takes a cancel or an unsubscribe back, for 24 hours. */
  undo(token: string, options?: CallOptions): Promise<Watch>;
  /** No mail before that time; null ends it. */
  snooze(token: string, until: Date | string | null, options?: CallOptions): Promise<Watch>;
  /** The hours in which mail is welcome; null for all. */
  setWindow(token: string, window: DeliveryWindow | null, options?: CallOptions): Promise<Watch>;
  /** After so many mails the watch pauses; null for never. */
  setMax(token: string, max: number | null, options?: CallOptions): Promise<Watch>;
  /** How fresh is what is believed of open sections? Needs a key that reads. */
  lists(options?: CallOptions): Promise<SectionList[]>;
  /** Says that a section is open; its watchers are told. Needs an operator's key. */
  reportOpening(opening: { term: string; index: string }, options?: CallOptions): Promise<Opening>;
}

const root = '/api/v1/seats';

/** All of it may be asked twice: a watch that is there, or is so already, is answered as it is. */
export function createSeats(call: Call): Seats {
  const get = <Answer>(path: string, options?: CallOptions, query = {}) =>
    call<Answer>({ method: 'GET', path, query, isRepeatable: true }, options);
  const post = <Answer>(path: string, body: unknown, options?: CallOptions) =>
    call<Answer>({ method: 'POST', path, isRepeatable: true, ...(body !== undefined && { body }) }, options);
  const of = (token: string) => root + pathOf`/subscriptions/${token}`;
  const change = async (token: string, verb: string, options?: CallOptions, body?: unknown) =>
    post<Watch>(`${of(token)}/${verb}`, body, options);

  return {
    search: async (query, options) =>
      (await get<{ courses: Course[] }>(`${root}/courses`, options, query)).courses,
    section: async (term, index, options) => get(root + pathOf`/sections/${term}/${index}`, options),
    watch: (wish, options) => post(`${root}/subscriptions`, wish, options),
    watchCourse: (wish, options) => post(`${root}/subscriptions`, wish, options),
    get: async (token, options) => get(of(token), options),
    siblings: async (token, options) =>
      (await get<{ watches: Watch[] }>(`${of(token)}/siblings`, options)).watches,
    confirm: (token, options) => change(token, 'confirm', options),
    pause: (token, options) => change(token, 'pause', options),
    resume: (token, options) => change(token, 'resume', options),
    cancel: (token, options) => change(token, 'cancel', options),
    undo: (token, options) => change(token, 'undo', options),
    snooze: (token, until, options) =>
      change(token, 'snooze', options, { until: until instanceof Date ? until.toISOString() : until }),
    setWindow: (token, window, options) => change(token, 'window', options, { window }),
    setMax: (token, max, options) => change(token, 'max', options, { max }),
    lists: async (options) => (await get<{ lists: SectionList[] }>(`${root}/lists`, options)).lists,
    reportOpening: (opening, options) => post(`${root}/openings`, opening, options),
  };
}
