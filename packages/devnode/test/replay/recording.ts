// Recorded conversations with a real algod: see test/vectors/README.md for origin, format and normalisation.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Scenario {
  readonly name: string;
  /** Keys of algod's config.json that this scenario sets. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly n: number;
  readonly note: string;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  /** Absent: everything is compared. */
  readonly compare?: 'status' | 'none';
  /** Some arrays of the answer are in the random order of a Go map; they are sorted on both sides, then all is compared. */
  readonly unordered?: boolean;
  /** Sent without waiting for its answer, which must not come before request `answeredAfter` was sent. */
  readonly concurrent?: boolean;
  readonly answeredAfter?: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64?: string;
  readonly bodyRepeat?: { readonly prefixBase64?: string; readonly byte: number; readonly length: number };
  readonly chunked?: boolean;
}

export interface RecordedResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly bodyStartsWith?: string;
  readonly bodyOmitted?: boolean;
  readonly decoded?: 'gzip';
}

const VECTORS = join(import.meta.dirname, '..', 'vectors');

/** The folders of recordings: without programs, with logic signatures, with applications, and of the assembler. */
export const RECORDING_SETS = ['payments', 'programs', 'applications', 'teal'] as const;
export type RecordingSet = (typeof RECORDING_SETS)[number];

/** Names of all recorded scenarios of a set, sorted. */
export function scenarioNames(set: RecordingSet): string[] {
  return readdirSync(join(VECTORS, set))
    .filter((name) => name.endsWith('.jsonl.gz'))
    .map((name) => name.slice(0, -'.jsonl.gz'.length))
    .sort();
}

/** The text of a vector file by its uncompressed name, e.g. `genesis.json`. */
export function readVector(name: string): string {
  return gunzipSync(readFileSync(join(VECTORS, `${name}.gz`))).toString('utf8');
}

/** Lines of `sha256sum` form: the hash of every vector's uncompressed text. */
export function vectorHashes(): { readonly name: string; readonly expected: string; readonly found: string }[] {
  const lines = readFileSync(join(VECTORS, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [expected = '', name = ''] = line.split('  ');
    return { name, expected, found: createHash('sha256').update(readVector(name)).digest('hex') };
  });
}

/** Reads one recorded scenario. */
export function readScenario(set: RecordingSet, name: string): Scenario {
  const [head, ...lines] = readVector(`${set}/${name}.jsonl`).trimEnd().split('\n');
  const { config } = JSON.parse(head ?? '{}') as { config: Record<string, unknown> };
  return { name, config, exchanges: lines.map((line) => JSON.parse(line) as Exchange) };
}
