/**
 * Arrays as PostgreSQL itself keeps them. As text every quote of a mail is escaped here and read again there, which was a fifth of what
 * a mail cost.
 */
export type ElementType = 'text' | 'number' | 'uuid';

const oids: Record<ElementType, number> = { text: 25, number: 20, uuid: 2950 };
const headOctets = 20;

type Element = string | number | null | undefined;

export function arrayOf(type: ElementType, values: readonly Element[]): Buffer {
  const octetsOf = { text: textOctets, number: () => 8, uuid: () => 16 }[type];
  const sizes = values.map((value) => (isNull(value) ? -1 : octetsOf(value)));
  let octets = headOctets;
  for (const size of sizes) octets += 4 + Math.max(0, size);
  const array = Buffer.allocUnsafe(octets);
  array.writeInt32BE(values.length === 0 ? 0 : 1, 0); // Dimensions.
  array.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4);
  array.writeInt32BE(oids[type], 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16); // They begin at one.
  const write = { text: writeText, number: writeNumber, uuid: writeUuid }[type];
  let at = headOctets;
  values.forEach((value, index) => {
    const size = sizes[index] as number;
    at = array.writeInt32BE(size, at);
    if (!isNull(value)) write(array, value, at);
    at += Math.max(0, size);
  });
  // An array without dimensions says nothing of how long they are.
  return values.length === 0 ? array.subarray(0, 12) : array;
}

const isNull = (value: Element): value is null | undefined => value === null || value === undefined;

const textOctets = (value: string | number) => Buffer.byteLength(String(value), 'utf8');

function writeText(array: Buffer, value: string | number, at: number): void {
  array.write(String(value), at, 'utf8');
}

function writeNumber(array: Buffer, value: string | number, at: number): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new RangeError(`not a whole number: ${value}`);
  array.writeInt32BE(Math.floor(value / 2 ** 32), at);
  array.writeUInt32BE(value >>> 0, at + 4);
}

function writeUuid(array: Buffer, value: string | number, at: number): void {
  const digits = String(value).replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new RangeError('not a UUID');
  array.write(digits, at, 'hex');
}
