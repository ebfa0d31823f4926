import type { Post } from '../posts.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import { nameOf, occasionParts, personOf, versionsOf } from './reading.ts';
import type { ReviewTables } from './review-tables.ts';

/** What leaves, to whom, and in which words: those of its version, and of the one before it. */
export interface MailWatch {
  posted(post: Post, tables: ReviewTables, rows: readonly WatchedRow[]): void;
}

interface Words {
  template: string;
  locale: string | null;
  props: {
    title: string;
    changelist: string;
    version: string;
    url?: string;
    summary?: string;
    findings: { message: string }[];
    changes?: { previousVersion: string; added: string; gone: string; remaining: string };
  };
}

export function createMailWatch({ violate }: { violate: Violate }): MailWatch {
  /** By person and version: which delivery has told it. */
  const tellers = new Map<string, string>();

  return {
    posted({ parcel: { mail } }, tables, rows) {
      const row = rows.find(({ id }) => id === mail.tags.delivery_id);
      if (!row) return;
      const { changelistId, version } = occasionParts(row.occasion);
      const versions = versionsOf(tables, changelistId);
      const place = versions.findIndex(({ review_version }) => review_version === version);
      const job = versions[place];
      if (!job) {
        violate('a reviewer hears once', `#${row.seq} leaves for a review that is not there`);
        return;
      }
      const name = `#${row.seq} of ${nameOf(job)}`;
      const person = personOf(mail.to);
      const isNamed = tables.lines.get(job.job_id)?.some(({ recipient }) => recipient === person);
      if (!isNamed) violate('a reviewer hears once', `${name} leaves for ${mail.to}, who is not named`);
      const key = `${nameOf(job)} ${person}`;
      const teller = tellers.get(key) ?? row.id;
      if (teller !== row.id) violate('a reviewer hears once', `${person} is told of ${nameOf(job)} twice`);
      tellers.set(key, teller);

      const say = (what: string) => violate('a review in its own words', `${name} ${what}`);
      const { props, locale } = JSON.parse(/^\{.*\}$/m.exec(mail.text)?.[0] ?? '{}') as Words;
      if (mail.tags.review_version !== String(version)) say(`is tagged as ${mail.tags.review_version}`);
      if (props.title !== job.title || props.version !== String(version) || props.changelist !== changelistId)
        say(`tells of ${props.title}`);
      if ((props.url ?? null) !== job.url || (props.summary ?? null) !== job.summary || locale !== job.locale)
        say("has another's link, summary or language");
      const messages = (findings: { message: string }[]) => findings.map(({ message }) => message);
      const now = messages(JSON.parse(job.findings));
      if (messages(props.findings).toSorted().join() !== now.toSorted().join()) say('tells other findings');
      const previous = versions[place - 1];
      if (!previous || !props.changes) {
        if (previous || props.changes) say('does not know whether there was a version before');
        return;
      }
      const then = messages(JSON.parse(previous.findings));
      const remaining = now.filter((message) => then.includes(message)).length;
      const { previousVersion, ...counts } = props.changes;
      if (previousVersion !== String(previous.review_version))
        say(`tells what has changed since ${previousVersion}, and not since ${previous.review_version}`);
      const isRight =
        counts.added === String(now.length - remaining) &&
        counts.gone === String(then.length - remaining) &&
        counts.remaining === String(remaining);
      if (!isRight) say(`tells wrongly what has changed since ${previousVersion}`);
    },
  };
}
