import type { JudgedLink, LinkVerdict } from '../inbox.ts';
import { useWords } from '../words/words.ts';
import { Empty, marks } from './shapes.tsx';

const meaningOf: Readonly<Record<LinkVerdict, keyof typeof marks>> = {
  works: 'good',
  unknown_token: 'needs a person',
  no_page: 'needs a person',
  unsafe: 'needs a person',
  not_encrypted: 'needs a person',
  elsewhere: 'stopped on purpose',
  mailbox: 'stopped on purpose',
};

/** Every link of a mail. Only our own can be pressed: the others are somebody else's words. */
export function LinkList({ links }: { links: readonly JudgedLink[] }) {
  const { inbox: words } = useWords();
  if (links.length === 0) return <Empty>{words.noLinks}</Empty>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{words.link}</th>
            <th scope="col">{words.verdict}</th>
            <th scope="col">{words.where}</th>
          </tr>
        </thead>
        <tbody>
          {links.map(({ href, path, verdict, in: places }) => {
            const { sign, className } = marks[meaningOf[verdict]];
            return (
              <tr key={href}>
                <td className="mono">
                  {path === null ? (
                    href
                  ) : (
                    <a href={path} target="_blank" rel="noreferrer">
                      {href}
                    </a>
                  )}
                </td>
                <td>
                  <span className={className} aria-hidden="true">
                    {sign}
                  </span>{' '}
                  {words.verdicts[verdict]}
                </td>
                <td>{places.map((place) => words.places[place]).join(', ')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
