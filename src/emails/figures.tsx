import { Text } from '@react-email/text';
import type { ReactElement, ReactNode } from 'react';
import { frame } from './frame.ts';
import { foldable, Note, reading, Subtitle } from './layout.tsx';
import { fontFamily, light } from './look.ts';

/**
 * Amounts, and bars beside them. A bar is two cells of a table with colours and widths of their own, which every mail program
 * draws, also one that shows no pictures; it says nothing that does not stand in words beside it, and so is passed over where a
 * mail is read aloud.
 */
export function Figure({ label, amount, note, bar }: FigureProps): ReactElement {
  return (
    <>
      <Note below="0">{label}</Note>
      <Amount>{amount}</Amount>
      {bar === undefined ? null : <Bar percent={bar} />}
      {note === undefined ? <Gap /> : <Note>{note}</Note>}
    </>
  );
}

interface FigureProps {
  label: string;
  amount: string;
  note: string | undefined;
  /** How much of the longest bar, in percent. */
  bar: string | undefined;
}

const Amount = frame(['children'], ({ children }: { children: string }) => {
  const value = { ...reading, fontSize: '20px', lineHeight: '28px', fontWeight: 600, ...tabular };
  return (
    <Text dir="auto" className="ink" style={{ ...value, marginTop: 0, marginBottom: '4px' }}>
      {children}
    </Text>
  );
});

const tabular = { fontVariantNumeric: 'tabular-nums' } as const;

/** One of several that are compared: its name, what it comes to, and its bar. */
export function Share({ name, note, bar }: { name: string; note: string; bar: string }): ReactElement {
  return (
    <>
      <ShareName>{name}</ShareName>
      <Note below="4px">{note}</Note>
      <Bar percent={bar} />
      <Gap />
    </>
  );
}

const ShareName = frame(['children'], ({ children }: { children: string }) => (
  <Text dir="auto" className="ink" style={{ ...reading, marginTop: 0, marginBottom: '0' }}>
    {children}
  </Text>
));

/** Its length is no place: it decides about the cells. There are a hundred and one of them. */
const Bar = frame([], ({ percent }: { percent: string }): ReactElement => {
  const length = Number(percent);
  return (
    <table role="presentation" aria-hidden="true" {...wide} style={{ ...folded, marginBottom: '4px' }}>
      <tbody>
        <tr>
          {length > 0 ? <BarPart name="bar" colour={light.quiet} width={length} /> : null}
          {length < 100 ? <BarPart name="track" colour={light.hairline} width={100 - length} /> : null}
        </tr>
      </tbody>
    </table>
  );
});

function BarPart({ name, colour, width }: { name: string; colour: string; width: number }): ReactElement {
  const style = { backgroundColor: colour, width: `${width}%`, height: '8px', fontSize: 0, lineHeight: 0 };
  // Without something in it some programs give a cell no height.
  return (
    <td className={name} height="8" width={`${width}%`} style={style}>
      {'\u00a0'}
    </td>
  );
}

/** Programs differ in what a table's margin is to them, and agree on a paragraph's. */
const Gap = frame([], () => (
  <div style={{ height: '12px', lineHeight: '12px', fontSize: 0 }}>{'\u00a0'}</div>
));

/** Few short amounts side by side, under a heading: also on a phone, where they would fill the screen one below the other. */
export function FigureRow({ heading, label, figures }: FigureRowProps): ReactElement {
  return (
    <Row
      heading={heading}
      label={label}
      names={figures.map((one) => <RowName key={one.label}>{one.label}</RowName>)}
    >
      {figures.map((one) => (
        <RowAmount key={one.label}>{one.amount}</RowAmount>
      ))}
    </Row>
  );
}

interface FigureRowProps {
  heading: string;
  /** As with a table: for whoever has it read aloud. In words of the template's own, because it is an attribute. */
  label: string;
  figures: FigureTableProps['rows'];
}

const wide = { width: '100%', border: 0, cellPadding: '0', cellSpacing: '0' } as const;
const folded = { borderCollapse: 'collapse', tableLayout: 'fixed' } as const;

const Row = frame(['heading', 'names', 'children'], ({ heading, label, names, children }: RowProps) => (
  <>
    <Subtitle>{heading}</Subtitle>
    <table aria-label={label} {...wide} style={folded}>
      <tbody>
        <tr>{names}</tr>
        <tr>{children}</tr>
      </tbody>
    </table>
  </>
));

interface RowProps {
  heading: string;
  label: string;
  names: ReactNode;
  children: ReactNode;
}

const inRow = { ...foldable, fontFamily, padding: '0 4px 0 0', textAlign: 'left' } as const;

const RowName = frame(['children'], ({ children }: { children: string }) => {
  const type = { fontSize: '14px', lineHeight: '20px', fontWeight: 400, color: light.quiet };
  return (
    <th scope="col" className="quiet" style={{ ...inRow, ...type }}>
      {children}
    </th>
  );
});

const RowAmount = frame(['children'], ({ children }: { children: string }) => {
  const type = { fontSize: '20px', lineHeight: '28px', fontWeight: 600, color: light.ink };
  return (
    <td dir="auto" className="ink" style={{ ...inRow, ...tabular, ...type }}>
      {children}
    </td>
  );
});

/** A label and an amount in each line. */
export function FigureTable({ label, rows }: FigureTableProps): ReactElement {
  return (
    <Table label={label}>
      {rows.map((row) => (
        <Line key={row.label} {...row} />
      ))}
    </Table>
  );
}

interface FigureTableProps {
  /** What the table is of, for whoever has it read aloud. */
  label: string;
  rows: readonly { label: string; amount: string }[];
}

const Table = frame(['children'], ({ label, children }: { label: string; children: ReactNode }) => (
  <table aria-label={label} {...wide} style={folded}>
    <tbody>{children}</tbody>
  </table>
));

const Line = frame(['label', 'amount'], ({ label, amount }: { label: string; amount: string }) => {
  const cell = {
    ...foldable,
    ...{ fontFamily, fontSize: '16px', lineHeight: '24px', padding: '6px 0' },
    borderBottom: `1px solid ${light.hairline}`,
  } as const;
  const name = { ...cell, color: light.quiet, fontWeight: 400, textAlign: 'left', width: '40%' } as const;
  const value = { ...cell, ...tabular, color: light.ink, textAlign: 'right' } as const;
  return (
    <tr>
      <th scope="row" className="quiet rule" style={name}>
        {label}
      </th>
      <td dir="auto" className="ink rule" style={value}>
        {amount}
      </td>
    </tr>
  );
});
