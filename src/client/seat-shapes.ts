/** Course seats as they are asked for and answered. */
export type Campus = 'NB' | 'NK' | 'CM' | 'ONLINE_NB' | 'ONLINE_NK' | 'ONLINE_CM';
export type SectionStatus = 'Open' | 'Closed' | 'Wait' | 'Unknown';
export type WatchStatus = 'pending' | 'active' | 'paused' | 'suppressed' | 'unsubscribed';

export interface CourseQuery {
  /** `01:198:111`, `198:111`, `09214`, or words of the title. */
  q: string;
  /** As the feed numbers it: `12026`. The four newest if left out. */
  term?: string | undefined;
  campus?: Campus | undefined;
  limit?: number | undefined;
}

export interface Course {
  courseId: number;
  term: string;
  campus: string;
  courseString: string;
  title: string;
  sections: Section[];
}

export interface Section {
  term: string;
  campus: string;
  index: string;
  number: string;
  courseId: number;
  courseString: string;
  title: string;
  subtitle: string | null;
  status: SectionStatus;
  meetings: string;
  instructors: string | null;
  specialPermission: string | null;
  restrictions: string | null;
  crossListed: { index: string; courseString: string; sectionNumber: string }[];
  notes: string | null;
  /** No longer in the catalog. */
  isGone: boolean;
  registrationUrl: string | null;
}

/** Minutes of the campus's day in which mail is welcome; it may cross midnight. */
export interface DeliveryWindow {
  startMinutes: number;
  endMinutes: number;
}

interface Wish {
  term: string;
  campus: Campus;
  /** Who is told; first they get a mail to confirm it. */
  email: string;
  locale?: 'en' | 'ro' | 'zh-CN' | undefined;
  preferences?:
    | {
        notifyOn?: string[] | undefined;
        maxNotifications?: number | null | undefined;
        deliveryWindow?: DeliveryWindow | null | undefined;
        /** A time with its zone. */
        snoozeUntil?: string | null | undefined;
      }
    | undefined;
}

export interface SectionWish extends Wish {
  /** Five digits; leading zeros count. */
  index: string;
}

export interface CourseWish extends Wish {
  courseId: number;
}

export interface NewWatch {
  subscriptionId: number;
  /** `pending` waits for its owner, who gets a mail with a button. */
  status: WatchStatus;
  /** This address watched that section already. */
  existing: boolean;
  /** False where the catalog does not know the index (yet). */
  sectionResolved: boolean;
  sectionStatus: SectionStatus;
  /** Opens this watch: a secret. */
  token: string;
}

export interface NewCourseWatches {
  watches: NewWatch[];
  /** Sections of the course that the limits did not allow. */
  leftOut: number;
}

export interface Watch {
  subscriptionId: number;
  /** Opens this watch: a secret. */
  token: string;
  term: string;
  campus: string;
  index: string;
  section: Section | null;
  status: WatchStatus;
  sectionStatus: SectionStatus;
  locale: string | null;
  preferences: {
    notifyOn: string[];
    maxNotifications: number | null;
    deliveryWindow: DeliveryWindow | null;
    snoozeUntil: string | null;
  };
  notificationsSent: number;
  undoUntil: string | null;
  createdAt: string;
}

/** A list of open sections that is polled. */
export interface SectionList {
  term: string;
  campus: string;
  campuses: string[];
  openCount: number;
  askedAt: string | null;
  heardAt: string | null;
  goodAt: string | null;
  isStale: boolean;
  isHeld: boolean;
  heldSince: string | null;
  failures: number;
  lastError: string | null;
  nextPollAt: string | null;
  baselineAt: string | null;
}

export type Opening = { isNew: true; openEventId: number } | { isNew: false; openEventId: null };
