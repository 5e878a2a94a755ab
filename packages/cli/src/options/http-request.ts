import { quoted } from '@avm402/core/quoted';
import type { OptionValues } from '../command/command.ts';
import { invalidArguments } from '../command/command.ts';
import type { Terminal } from '../command/terminal.ts';
import { readInput } from './input-file.ts';

/** Options that describe a request, named as in curl. */
export const REQUEST_OPTIONS = {
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  data: { type: 'string', short: 'd' },
  timeout: { type: 'string' },
} as const;

/** The help for these options; `patience` is the default of `--timeout`, in words. */
export const requestHelp = (patience = 'never'): string => `Request
  -X, --request METHOD    method (default GET; POST with --data)
  -H, --header 'N: V'     a header; may be repeated
  -d, --data DATA         body; @FILE reads a file, @- stdin
      --timeout SECONDS   give up after SECONDS (default: ${patience})`;

const DEFAULT_CONTENT_TYPE = 'application/x-www-form-urlencoded';

/**
 * Makes the options of fetch from the command's.
 * @throws X402Error `invalid_arguments`
 */
export async function requestInit(
  values: OptionValues<typeof REQUEST_OPTIONS>,
  terminal: Terminal,
): Promise<RequestInit> {
  const body = values.data === undefined ? undefined : await readData(values.data, terminal);
  const headers = new Headers((values.header ?? []).map(parseHeader));
  if (body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', DEFAULT_CONTENT_TYPE);
  return {
    method: values.request ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    signal: signalOf(values.timeout, terminal),
    ...(body !== undefined && { body }),
  };
}

async function readData(data: string, terminal: Terminal): Promise<string | Uint8Array<ArrayBuffer>> {
  if (!data.startsWith('@')) return data;
  return new Uint8Array(await (data === '@-' ? terminal.input() : readInput(data.slice(1))));
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon > 0) return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  throw invalidArguments(`not a header like 'Name: value': ${quoted(line)}`);
}

function signalOf(timeout: string | undefined, { interrupted }: Terminal): AbortSignal {
  if (timeout === undefined) return interrupted();
  const seconds = Number(timeout);
  if (!(seconds > 0 && seconds < 1e6)) {
    throw invalidArguments(`--timeout ${timeout} is not a number of seconds`);
  }
  return AbortSignal.any([interrupted(), AbortSignal.timeout(Math.ceil(seconds * 1000))]);
}
