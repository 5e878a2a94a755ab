import { request } from 'undici';
import type { LoadResult } from '../measure/load.ts';
import { startPeer, type Make } from './roles.ts';

/** Work for a client process: to call a URL, or to create payments, again and again. */
export interface ClientJob {
  /** Absent: payments are created and not sent. */
  readonly url?: string;
  /** One for each worker: base64 of 64 bytes. */
  readonly privateKeys: readonly string[];
  readonly operations: number;
  /** See `LoadOptions.paceMs`. */
  readonly paceMs?: number | undefined;
}

/** A buyer's process; it does one job after the other, as it is installed, not from the packages' sources. */
export async function startClient(make: Make, environment: Readonly<Record<string, string>>) {
  const program = await startPeer(`${make}-client`, environment);
  const run = async (job: ClientJob): Promise<LoadResult> => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify(job);
    const answer = await request(program.url, { method: 'POST', headers, body, headersTimeout: 0, reset: true });
    if (answer.statusCode !== 200) throw new Error(`${make}-client: ${await answer.body.text()}`);
    return (await answer.body.json()) as LoadResult;
  };
  return { ...program, run };
}
