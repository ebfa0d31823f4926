/** A message of protocol buffers as its fields by number: as much of the wire format as OTLP uses. Written from the format, not from a library's words. */
export type Message = ReadonlyMap<number, readonly Value[]>;
type Value = bigint | Buffer;

export function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const octet = bytes.readUInt8(at++);
      value |= BigInt(octet & 0x7f) << shift;
      if (octet < 0x80) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError('a message is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const kinds: Record<number, () => Value> = {
      0: varint,
      1: () => take(8).readBigUInt64LE(),
      2: () => take(Number(varint())),
      5: () => BigInt(take(4).readUInt32LE()),
    };
    const value = kinds[tag & 7]?.();
    if (value === undefined) throw new TypeError(`no such wire type: ${tag & 7}`);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

export const messagesIn = (message: Message, field: number): Message[] =>
  (message.get(field) ?? []).map((value) => readMessage(value as Buffer));

export const bytesIn = (message: Message, field: number): Buffer =>
  (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);

export const numberIn = (message: Message, field: number): bigint =>
  (message.get(field)?.[0] as bigint | undefined) ?? 0n;
