// Copies recordings into test/vectors/, compressed, with the SHA-256 of each file's uncompressed text. Once per new recording:
//   node packages/devnode/test/replay/import-recordings.ts <directory with payments/, programs/, applications/, teal/, kmd/, genesis.json, accounts.json>
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const OPERATING_SYSTEM_BYTE = 9;
const UNKNOWN_OPERATING_SYSTEM = 255;

const source = process.argv[2];
if (!source) {
  console.error(
    'usage: import-recordings.ts <directory with payments/, programs/, applications/, teal/, kmd/, genesis.json and accounts.json>',
  );
  process.exit(2);
}
const target = join(import.meta.dirname, '..', 'vectors');
const scenarios = ['payments', 'programs', 'applications', 'teal', 'kmd'].flatMap(filesOf);
const sources = ['accounts.json', 'genesis.json', ...scenarios];
const sums = sources.map((file) => {
  const name = file.replace(/\.gz$/, '');
  const read = readFileSync(join(source, file));
  const text = file === name ? read : gunzipSync(read);
  mkdirSync(dirname(join(target, name)), { recursive: true });
  writeFileSync(join(target, `${name}.gz`), compress(text));
  return `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
});
writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
console.log(`${sources.length} files`);

/** The recordings in a folder, compressed or not. */
function filesOf(folder: string): string[] {
  const files = readdirSync(join(source ?? '', folder)).filter((name) => /\.jsonl(\.gz)?$/.test(name));
  return files.sort().map((name) => `${folder}/${name}`);
}

/** The same text gives the same file on every system. */
function compress(text: Buffer): Buffer {
  const packed = gzipSync(text, { level: 9 });
  packed[OPERATING_SYSTEM_BYTE] = UNKNOWN_OPERATING_SYSTEM;
  return packed;
}
