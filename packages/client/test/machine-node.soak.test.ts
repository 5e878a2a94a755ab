import { execFile, execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { accounts } from './chain.ts';
import { useStage } from './stage.ts';

const stage = useStage();

/** Pays with one signal that outlives all requests, ten at a time; prints how many were settled. */
const PROGRAM = `
import { createPayingFetch, parseAccount, settlementOf } from '@avm402/client';
const { KEY, ALGOD_URL, ALGOD_TOKEN, SELLER, PAYMENTS } = process.env;
const fetchPaid = createPayingFetch({
  account: parseAccount(KEY),
  networks: { 'algorand:*': { url: ALGOD_URL, token: ALGOD_TOKEN } },
  spend: { perDay: '$1000' },
});
const { signal } = new AbortController();
let [left, settled] = [Number(PAYMENTS), 0];
await Promise.all(Array.from({ length: 10 }, async () => {
  while (left-- > 0) {
    const response = await fetchPaid(SELLER, { signal });
    await response.arrayBuffer();
    if (settlementOf(response)?.success) settled++;
  }
}));
console.log(process.versions.node, settled);
`;

/** The Node that the machine has beside the repository's. */
function machineNode(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const environment = `PATH=${folders.join(delimiter)}`;
  return execFileSync('env', [environment, 'node', '-p', 'process.execPath'], { encoding: 'utf8' }).trim();
}

it("a thousand payments by the compiled package, on the machine's own Node, bring no warning", async () => {
  const seller = await stage.sellerThat(stage.honest);
  const { stdout, stderr } = await promisify(execFile)(machineNode(), ['--input-type=module', '--eval', PROGRAM], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      KEY: accounts.payer.privateKey,
      ALGOD_URL: stage.chain.url,
      ALGOD_TOKEN: stage.chain.token,
      SELLER: seller.url,
      PAYMENTS: '1000',
    },
  });
  // Node 20 warns of the 1,501st listener; its version is in the log.
  console.log(stdout.trim());
  expect(stdout).toMatch(/^\S+ 1000\n$/);
  expect(stderr).toBe('');
});
