// What a real algod assembled and disassembled: see packages/devnode/test/vectors/README.md for origin and format.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const VECTORS = join(import.meta.dirname, '../../devnode/test/vectors/teal');

/** One request to the assembler or the disassembler that got as far as that, and its answer. */
export interface RecordedCall {
  readonly scenario: string;
  readonly n: number;
  readonly note: string;
  readonly tool: 'compile' | 'disassemble';
  readonly body: Uint8Array;
  readonly answer: {
    readonly result?: string;
    readonly hash?: string;
    readonly sourcemap?: unknown;
    readonly message?: string;
  };
}

interface Recorded {
  readonly n: number;
  readonly note: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly bodyBase64?: string;
    readonly bodyRepeat?: { readonly prefixBase64?: string; readonly byte: number; readonly length: number };
  };
  readonly response: { readonly status: number; readonly body?: string };
}

/** Refusals that come before the tool: of the query, and of a body that is too long. */
const BEFORE_THE_TOOL = /^(?:Invalid format for parameter|http: request body too large)/;

export function recordedCalls(): readonly RecordedCall[] {
  const names = readdirSync(VECTORS).filter((name) => name.endsWith('.jsonl.gz'));
  return names.sort().flatMap((name) => {
    const [, ...lines] = gunzipSync(readFileSync(join(VECTORS, name)))
      .toString('utf8')
      .trimEnd()
      .split('\n');
    return lines.flatMap((line) => callOf(name.slice(0, -'.jsonl.gz'.length), JSON.parse(line) as Recorded));
  });
}

function callOf(scenario: string, { n, note, request, response }: Recorded): readonly RecordedCall[] {
  const tool = /^\/v2\/teal\/(compile|disassemble)\b/.exec(request.path)?.[1];
  if ((tool !== 'compile' && tool !== 'disassemble') || request.method !== 'POST') return [];
  if (response.status !== 200 && response.status !== 400) return [];
  const answer = JSON.parse(response.body ?? '') as RecordedCall['answer'];
  if (BEFORE_THE_TOOL.test(answer.message ?? '')) return [];
  return [{ scenario, n, note, tool, body: bodyOf(request), answer }];
}

function bodyOf({ bodyBase64 = '', bodyRepeat }: Recorded['request']): Uint8Array {
  if (bodyRepeat === undefined) return Buffer.from(bodyBase64, 'base64');
  const prefix = Buffer.from(bodyRepeat.prefixBase64 ?? '', 'base64');
  return Buffer.concat([prefix, Buffer.alloc(bodyRepeat.length - prefix.length, bodyRepeat.byte)]);
}
