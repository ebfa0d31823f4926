import { useState } from 'react';
import { ask } from './api.ts';
import { useStanding } from './live.ts';
import { AuditPage } from './pages/audit.tsx';
import { DeliveriesPage } from './pages/deliveries.tsx';
import { DeliveryPage } from './pages/delivery.tsx';
import { HomePage } from './pages/home.tsx';
import { InboxPage } from './pages/inbox.tsx';
import { InboxMailPage } from './pages/inbox-mail.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { sourcePageOf } from './pages/source-page.tsx';
import { SuppressionImportPage } from './pages/suppression-import.tsx';
import { SuppressionsPage } from './pages/suppressions.tsx';
import { TemplatesPage } from './pages/templates.tsx';
import { WorkListPage } from './pages/work-list.tsx';
import { Heading } from './parts/heading.tsx';
import { Link } from './parts/link.tsx';
import { Navigation } from './parts/navigation.tsx';
import { Broken, Loading } from './parts/shapes.tsx';
import { usePlace } from './place.ts';
import { useAsked } from './use-asked.ts';
import { useFocus } from './use-focus.ts';
import {
  keepLanguage,
  type Language,
  languageNow,
  languages,
  useWords,
  WordsContext,
} from './words/words.ts';

interface Session {
  role: 'operator' | 'read' | null;
  name: string | null;
}

export function App() {
  const [language, setLanguage] = useState(languageNow);
  const choose = (chosen: Language) => {
    keepLanguage(chosen);
    document.documentElement.lang = chosen;
    setLanguage(chosen);
  };
  const [session, again] = useAsked<Session>('/api/v1/session');
  return (
    <WordsContext value={{ language, words: languages[language] }}>
      {session.state === 'waiting' && <Loading />}
      {session.state === 'broken' && <Broken problem={session.problem} again={again} />}
      {session.state === 'there' && session.value.role === null && <SignInPage done={again} />}
      {session.state === 'there' && session.value.role !== null && (
        <Frame session={session.value} signedOut={again} language={language} choose={choose} />
      )}
    </WordsContext>
  );
}

interface FrameParts {
  session: Session;
  signedOut: () => void;
  language: Language;
  choose(language: Language): void;
}

function Frame({ session, signedOut, language, choose }: FrameParts) {
  const { nav, readOnly } = useWords();
  const { path } = usePlace();
  useFocus(path);
  const { standing, isLost } = useStanding(signedOut);
  const mayChange = session.role === 'operator';
  const count = (status: string) =>
    standing?.counts.reduce((sum, one) => sum + (one.status === status ? one.count : 0), 0) ?? 0;
  const links = [
    ['/', nav.home, 0],
    ['/deliveries', nav.deliveries, 0],
    ['/dead-letters', nav.deadLetters, count('failed_permanent')],
    ['/needs-review', nav.review, count('needs_review')],
    ...(standing?.has.seats ? [['/seats', nav.seats, 0] as const] : []),
    ...(standing?.has.newsletters ? [['/runs', nav.runs, 0] as const] : []),
    ...(standing?.has.reviews ? [['/reviews', nav.reviews, 0] as const] : []),
    ['/suppressions', nav.suppressions, 0],
    ['/templates', nav.templates, 0],
    ...(standing?.has.inbox ? ([['/inbox', nav.inbox, 0]] as const) : []),
    ['/audit', nav.audit, 0],
  ] as const;
  const sources = [...new Set(standing?.counts.map(({ source }) => source))].sort();
  const signOut = () => void ask('DELETE', '/api/v1/session').then(signedOut, signedOut);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {nav.skip}
      </a>
      <Navigation
        links={links}
        path={path}
        after={
          <>
            <label className="muted">
              {nav.language}{' '}
              <select value={language} onChange={({ target }) => choose(target.value as Language)}>
                {Object.entries(languages).map(([name, words]) => (
                  <option key={name} value={name}>
                    {words.name}
                  </option>
                ))}
              </select>
            </label>
            {session.role === 'read' && <p className="muted">{readOnly}</p>}
            {session.name !== null && (
              <p>
                <button type="button" onClick={signOut}>
                  {nav.signOut}
                </button>
              </p>
            )}
          </>
        }
      />
      <main id="content" tabIndex={-1}>
        {pageOf({ path, standing, isLost, mayChange, sources })}
      </main>
    </div>
  );
}

interface PageParts {
  path: string;
  standing: ReturnType<typeof useStanding>['standing'];
  isLost: boolean;
  mayChange: boolean;
  sources: readonly string[];
}

function pageOf({ path, standing, isLost, mayChange, sources }: PageParts) {
  const [, first = '', second] = path.split('/');
  if (first === '') return <HomePage standing={standing} isLost={isLost} mayChange={mayChange} />;
  if (first === 'deliveries' && second)
    return <DeliveryPage key={second} reference={decoded(second)} mayChange={mayChange} />;
  if (first === 'deliveries') return <DeliveriesPage sources={sources} />;
  if (first === 'dead-letters' || first === 'needs-review')
    return <WorkListPage key={first} kind={first} mayChange={mayChange} />;
  if (first === 'suppressions' && second === 'import' && mayChange) return <SuppressionImportPage />;
  if (first === 'suppressions' && !second)
    return <SuppressionsPage mayChange={mayChange} sources={sources} />;
  if (first === 'templates') return <TemplatesPage />;
  if (first === 'inbox' && second) return <InboxMailPage key={second} id={second} mayChange={mayChange} />;
  if (first === 'inbox') return <InboxPage mayChange={mayChange} />;
  if (first === 'audit') return <AuditPage />;
  return sourcePageOf(path, mayChange) ?? <NoPage />;
}

/** What somebody has typed into the address bar may be no such thing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function NoPage() {
  const { noPage } = useWords();
  return (
    <>
      <Heading>{noPage.title}</Heading>
      <p>
        <Link to="/">{noPage.home}</Link>
      </p>
    </>
  );
}
