import type { AlgodClient } from '@avm402/algorand/algod';
import { isLoopbackHost } from '@avm402/core/loopback';
import { devControl, type Developer } from '../node/dev-control.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Checks whether a development node on this machine makes blocks too fast for its clients. */
export async function examineBursts(algod: AlgodClient, developer: Developer): Promise<Finding[]> {
  if (!isLoopbackHost(new URL(algod.url).hostname)) return [];
  const hurries = await makesABlockEach(algod, developer);
  if (hurries === undefined) return [];
  if (!hurries) return [ok('bursts', 'many payments at the same time can settle')];
  const message =
    'each payment gets its own block, so that of many simultaneous payments by stock x402 clients, which live for ten rounds, some expire';
  const fix = 'Run avm402-devnode without --strict, or with blocks as on a real network: --block-time 2.8s.';
  return [warning('bursts', message, fix)];
}

/** Undefined if the node does not tell. */
async function makesABlockEach(algod: AlgodClient, developer: Developer): Promise<boolean | undefined> {
  const answer = await devControl(developer, 'GET', '/dev/state');
  if (answer.status === 404) return isDevMode(await algod.genesis());
  if (!answer.ok) return undefined;
  const { blocks, strict } = (await answer.json()) as { readonly blocks?: unknown; readonly strict?: unknown };
  return blocks === 'instant' && strict === true;
}

/** Whether algod makes a block for each submission. */
function isDevMode(genesis: string): boolean {
  return (JSON.parse(genesis) as { readonly devmode?: unknown }).devmode === true;
}
