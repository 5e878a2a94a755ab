import { SECTIONS, wordsOf } from './settings.ts';

const USAGE = `Usage: avm402-facilitator [COMMAND]

Verifies and settles x402 payments on Algorand: POST /verify, POST /settle, GET /supported, GET /settlements/{txid},
GET /health, GET /ready. Environment variables configure it, or a file that sets them. It logs to standard error.

Commands; without one it serves
  settlements             writes the ledger of the store as CSV, from the latest settlement to the first
    --receiver ADDRESS, --payer ADDRESS, --state STATE, --from TIME, --until TIME   only those; times as 2026-03-01
    --totals              sums of what was confirmed, by day, asset and what was moved into and out of channels
    --json                a JSON object a line instead
  backup FILE             copies the SQLite store to a new file, while a facilitator works on it`;

const OPTIONS = `Options
  --config FILE           reads settings from a file with lines such as PORT=4022; the environment overrides it
  --check                 checks configuration, algods, sponsor and store, lists every problem, and exits
  -h, --help              shows this
  -v, --version           shows the version`;

const NAME_WIDTH = 24;
const TEXT_WIDTH = 92;

/** The output of `--help`: commands, every setting, options. */
export function helpText(): string {
  const sections = SECTIONS.map(({ title, note, settings }) => {
    const lines = Object.entries(settings).flatMap(([name, schema]) => {
      const { help, otherwise } = wordsOf(schema);
      return entry(name, otherwise === undefined ? help : `${help} (${defaultWords(otherwise)})`);
    });
    return [title, ...lines, ...(note === undefined ? [] : [`  ${note}`])].join('\n');
  });
  return [USAGE, ...sections, OPTIONS].join('\n\n');
}

function defaultWords(otherwise: string): string {
  return otherwise === 'required' ? otherwise : `default: ${otherwise}`;
}

/** The name with its text beside it, or below it if the name is long. */
function entry(name: string, text: string): string[] {
  const [first = '', ...more] = wrapped(text).map((line) => `${' '.repeat(NAME_WIDTH)}  ${line}`);
  if (name.length >= NAME_WIDTH) return [`  ${name}`, first, ...more];
  return [`  ${name.padEnd(NAME_WIDTH)}${first.slice(NAME_WIDTH + 2)}`, ...more];
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = [...lines.slice(-1), word].join(' ');
    if (lines.length === 0 || longer.length > TEXT_WIDTH) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
