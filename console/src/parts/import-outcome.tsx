import type { ImportedFile } from '../suppressions.ts';
import { useWords } from '../words/words.ts';

/** What would come of a file, or has come of it: counts in words, and every bad line by its number. */
export function ImportOutcome({ result, isDone }: { result: ImportedFile; isDone: boolean }) {
  const { import: words } = useWords();
  const { read, added, alreadyListed, stopped, lifted, bad, problems, ignoredColumns } = result;
  const counts = [
    words.read(read),
    isDone ? words.didAdd(added) : words.wouldAdd(added),
    ...(stopped > 0 ? [isDone ? words.didStop(stopped) : words.wouldStop(stopped)] : []),
    ...(alreadyListed > 0 ? [words.already(alreadyListed)] : []),
    ...(lifted > 0 ? [words.lifted(lifted)] : []),
    ...(bad > 0 ? [words.bad(bad)] : []),
    ...(ignoredColumns.length > 0 ? [words.ignored(ignoredColumns.join(', '))] : []),
  ];
  return (
    <>
      <h2>{isDone ? words.didTitle : words.wouldTitle}</h2>
      <ul>
        {counts.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {added === 0 && !isDone && <p>{words.nothing}</p>}
      {problems.length > 0 && (
        <>
          <h2>{words.badTitle}</h2>
          <table>
            <thead>
              <tr>
                <th scope="col" className="number">
                  {words.line}
                </th>
                <th scope="col">{words.problem}</th>
              </tr>
            </thead>
            <tbody>
              {problems.map(({ line, number, problem }) => (
                <tr key={`${line} ${number}`}>
                  <td className="number">{words.place(line, number)}</td>
                  <td>{problem}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {bad > problems.length && <p>{words.badMore(bad - problems.length)}</p>}
        </>
      )}
    </>
  );
}
