import { afterEach, expect, test } from 'vitest';
import { applicationAddress } from '@avm402/teal/application';
import { assemble } from '@avm402/teal/assemble';
import type { DevelopmentNode } from '../../src/development-node.ts';
import type { Answer } from '../../src/rest/answer.ts';
import type { Route } from '../../src/rest/route.ts';
import { accountRoutes } from '../../src/rest/routes/accounts.ts';
import { boxRoutes } from '../../src/rest/routes/boxes.ts';
import { addressOf, ALICE, signedBytes, testNode } from '../chain-fixture.ts';

let node: DevelopmentNode;
afterEach(() => node.close());

/** A node with an application of Alice that has three boxes. */
async function nodeWithBoxes(): Promise<void> {
  node = testNode();
  const programOf = (body: string): Uint8Array => assemble(`#pragma version 10\n${body}`).program;
  const makes = ['a', 'b', 'c'].map((name) => `byte "${name}"; int 1; box_create; pop`).join('\n');
  const creation = { approvalProgram: programOf(`txn ApplicationID; bz made\n${makes}\nmade: int 1`) };
  const boxes = ['a', 'b', 'c'].map((name) => ({ index: 0n, name: Buffer.from(name) }));
  for (const fields of [
    { type: 'appl', ...creation, clearStateProgram: programOf('int 1') },
    { receiver: applicationAddress(1001n), amount: 1_000_000n },
    { type: 'appl', applicationId: 1001n, boxes },
  ]) {
    await node.submissions.submit(signedBytes(node, fields));
  }
}

async function ask([route]: readonly Route[], parameters: object): Promise<unknown> {
  const request = { body: () => Promise.reject(new Error('no body')), signal: AbortSignal.timeout(1000) };
  const answer: Answer | undefined = await route?.handle(parameters as never, request);
  return answer !== undefined && 'json' in answer ? answer.json : undefined;
}

test.each([
  [3, {}, 3],
  [0, {}, 3],
  [0, { max: 3n }, 3],
  [0, { limit: 2n }, 2],
  [0, { prefix: 'str:' }, 3],
  [2, { limit: 9n }, 2],
])('with %i for the most boxes, a request for %o gets %i', async (maxBoxes, asked, count) => {
  await nodeWithBoxes();
  const answer = await ask(boxRoutes(node.queries, { MaxAPIBoxPerApplication: maxBoxes }), {
    'application-id': 1001n,
    ...asked,
  });
  expect(answer).toHaveProperty('boxes.length', count);
});

test('the most that a request names binds, though the node has no limit', async () => {
  await nodeWithBoxes();
  const refused = expect.objectContaining({
    message: 'Result limit exceeded',
    data: { max: 2n, 'max-api-box-per-application': 0, 'total-boxes': 3 },
  });
  const asked = ask(boxRoutes(node.queries, { MaxAPIBoxPerApplication: 0 }), { 'application-id': 1001n, max: 2n });
  await expect(asked).rejects.toEqual(refused);
});

test('an account with any number of applications is answered where there is no limit', async () => {
  await nodeWithBoxes();
  const answer = await ask(accountRoutes(node.queries, { MaxAPIResourcesPerAccount: 0 }), {
    address: addressOf(ALICE),
  });
  expect(answer).toHaveProperty('total-created-apps', 1);
});
