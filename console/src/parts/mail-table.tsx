import type { InboxLine } from '../inbox.ts';
import { go } from '../place.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { moveByKeys } from './row-keys.ts';
import { Address, Chip, When } from './shapes.tsx';
import './table.css';

/** One line a mail, with how its delivery stands. */
export function MailTable({ mails }: { mails: readonly InboxLine[] }) {
  const { inbox: words } = useWords();
  const open = (index: number) => {
    const mail = mails[index];
    if (mail) go(`/inbox/${mail.messageId}`);
  };
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">{words.mail}</th>
          <th scope="col">{words.state}</th>
          <th scope="col">{words.received}</th>
        </tr>
      </thead>
      <tbody onKeyDown={moveByKeys(open)}>
        {mails.map((mail) => (
          <tr key={mail.messageId} tabIndex={0}>
            <td className="broken-up">
              <Link to={`/inbox/${mail.messageId}`}>{mail.subject || words.noSubject}</Link>
              <div className="muted">
                <Address text={mail.to} />
              </div>
            </td>
            <td data-title={words.state}>{mail.delivery && <Chip status={mail.delivery.status} />}</td>
            <td data-title={words.received}>
              <When at={mail.receivedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
