import { createHash, randomInt } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** Digits as 5 by 7 dots, one number a line, highest bit left. */
const glyphs: Readonly<Record<string, readonly number[]>> = {
  '0': [14, 17, 19, 21, 25, 17, 14],
  '1': [4, 12, 4, 4, 4, 4, 14],
  '2': [14, 17, 1, 6, 8, 16, 31],
  '3': [14, 17, 1, 6, 1, 17, 14],
  '4': [2, 6, 10, 18, 31, 2, 2],
  '5': [31, 16, 30, 1, 1, 17, 14],
  '6': [6, 8, 16, 30, 17, 17, 14],
  '7': [31, 1, 2, 4, 8, 8, 8],
  '8': [14, 17, 17, 14, 17, 17, 14],
  '9': [14, 17, 17, 15, 1, 2, 12],
};
const scale = 4;
const cell = { width: 6 * scale + 2, height: 7 * scale + 14 };

/** Six random digits. */
export function captchaDigits(): string {
  return String(randomInt(0, 1_000_000)).padStart(6, '0');
}

/** A PNG (8-bit grey) in which a person reads the digits; the same digits give the same bytes. */
export function captchaPng(digits: string): Buffer {
  const width = digits.length * cell.width + 12;
  const noise = createHash('sha512').update(digits).digest();
  const noiseAt = (index: number) => noise[index % noise.length] ?? 0;
  const rows = Array.from({ length: cell.height }, (_, y) => {
    const row = Buffer.alloc(width + 1, 0xf4);
    row[0] = 0; // PNG filter "none"
    for (let x = 0; x < width; x += 1) {
      if (isInk(digits, x - 6, y, noiseAt)) row[x + 1] = 0x28;
      else if ((noiseAt(x * 3 + y * 7) + x * y) % 23 === 0) row[x + 1] = 0xb0;
    }
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(cell.height, 4);
  header[8] = 8; // bits of a sample; colour type 0 is grey, the rest are the only defined methods
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Every digit stands a little higher or lower than its neighbour. */
function isInk(digits: string, x: number, y: number, noiseAt: (index: number) => number): boolean {
  const index = Math.floor(x / cell.width);
  const column = Math.floor((x % cell.width) / scale);
  const line = Math.floor((y - 2 - (noiseAt(index) % 10)) / scale);
  const dots = glyphs[digits[index] ?? '']?.[line];
  return x >= 0 && column < 5 && dots !== undefined && (dots & (16 >> column)) !== 0;
}

function chunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const frame = Buffer.alloc(8 + named.length);
  frame.writeUInt32BE(data.length, 0);
  named.copy(frame, 4);
  frame.writeUInt32BE(crc32(named), 4 + named.length);
  return frame;
}
