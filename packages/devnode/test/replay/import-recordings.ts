// Copies recordings into test/vectors/, compressed, with the SHA-256 of each file's uncompressed text. Once per new recording:
//   node packages/devnode/test/replay/import-recordings.ts <directory with payments/, genesis.json, accounts.json>
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const OPERATING_SYSTEM_BYTE = 9;
const UNKNOWN_OPERATING_SYSTEM = 255;

const source = process.argv[2];
if (!source) {
  console.error('usage: import-recordings.ts <directory with payments/, genesis.json and accounts.json>');
  process.exit(2);
}
const target = join(import.meta.dirname, '..', 'vectors');
const scenarios = readdirSync(join(source, 'payments')).filter((name) => name.endsWith('.jsonl'));
const names = ['accounts.json', 'genesis.json', ...scenarios.sort().map((name) => `payments/${name}`)];
mkdirSync(join(target, 'payments'), { recursive: true });
const sums = names.map((name) => {
  const text = readFileSync(join(source, name));
  writeFileSync(join(target, `${name}.gz`), compress(text));
  return `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
});
writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
console.log(`${names.length} files`);

/** The same text gives the same file on every system. */
function compress(text: Buffer): Buffer {
  const packed = gzipSync(text, { level: 9 });
  packed[OPERATING_SYSTEM_BYTE] = UNKNOWN_OPERATING_SYSTEM;
  return packed;
}
