import type { AlgodClient } from '@avm402/algorand/algod';
import { isLoopbackHost } from '@avm402/core/loopback';
import { jsonIn, membersIn } from '@avm402/core/unknown-json';
import { devControl, type Developer } from '../node/dev-control.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Checks whether a development node on this machine makes blocks too fast for its clients. */
export async function examineBursts(algod: AlgodClient, developer: Developer): Promise<Finding[]> {
  if (!isLoopbackHost(new URL(algod.url).hostname)) return [];
  const isOwnBlock = await hasBlockForEach(algod, developer);
  if (isOwnBlock === undefined) return [];
  if (!isOwnBlock) return [ok('bursts', 'many payments at the same time can settle')];
  const message =
    'each payment gets its own block; payments by stock x402 clients live for ten rounds, so some expire if many are made at once';
  const fix = 'Run avm402-devnode without --strict, or with blocks as on a real network: --block-time 2.8s.';
  return [warning('bursts', message, fix)];
}

/** Whether each payment gets a block of its own; undefined if the node does not tell. */
async function hasBlockForEach(algod: AlgodClient, developer: Developer): Promise<boolean | undefined> {
  const answer = await devControl(developer, 'GET', '/dev/state');
  if (answer.status === 404) return isDevMode(await algod.genesis());
  if (!answer.ok) return undefined;
  const { blocks, strict } = membersIn(await answer.json());
  return blocks === 'instant' && strict === true;
}

/** Whether algod makes a block for each submission. */
function isDevMode(genesis: string): boolean {
  return membersIn(jsonIn(genesis))['devmode'] === true;
}
