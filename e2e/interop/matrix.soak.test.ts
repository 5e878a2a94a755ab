import { expect, it } from 'vitest';
import { makes } from './makes.ts';
import { type Mix, mixesOf, startGround } from './matrix.ts';
import { STRICTNESS } from './strictness.ts';

/** Rows of the page: who plays which role. Columns: how. */
function page(outcomes: ReadonlyMap<Mix, string>): string {
  const rows = Map.groupBy(outcomes, ([{ client, server, facilitator }]) =>
    [client, server, facilitator].map(({ name }) => name).join(' | '),
  );
  const lines = [...rows].map(([roles, ofRow]) => {
    const paid = ofRow.filter(([, outcome]) => outcome === 'paid').length;
    const others = ofRow.flatMap(([mix, outcome]) => (outcome === 'paid' ? [] : [`${termsOf(mix)}: ${outcome}`]));
    return `| ${roles} | ${paid} of ${ofRow.length} | ${others.join('; ')} |`;
  });
  return `${INTRODUCTION}\n\n| client | resource server | facilitator | paid | else |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n${STRICTNESS}`;
}

function termsOf({ network, isUpfront, isSponsored }: Mix): string {
  return [network, isUpfront ? 'upfront' : 'authorization', isSponsored ? 'sponsored' : 'own fee'].join(', ');
}

const INTRODUCTION = `# Interoperability

Each client pays each resource server by each facilitator, over HTTP, on a TestNet-shaped embedded node: in both flows
(\`authorization\`, \`upfront\`), both spellings of the network, with the fee sponsored and, where the facilitator can do
without, paid by the buyer. A mix counts as paid when the answer is 200 and exactly the price has moved from the buyer to
the seller on the chain. "Stock" means the published \`@x402/*\` packages; 2.27 stands for \`core\`, \`express\` and \`fetch\` of that
release with \`@x402/avm\` 2.26, its newest. In each mix of roles an agent also pays from a mandate (\`matrix.ci.test.ts\`).

\`npm run soak -- e2e/interop -u\` makes this page.`;

it('whatever the makes of client, server and facilitator, the price is paid once', async () => {
  const ground = await startGround();
  try {
    const outcomes = new Map<Mix, string>();
    for (const mix of mixesOf(makes)) outcomes.set(mix, await ground.attempt(mix));
    expect(outcomes.size).toBe(144);
    expect([...outcomes].filter(([, outcome]) => outcome !== 'paid')).toEqual([]);
    const file = new URL('../../docs/interop.md', import.meta.url);
    await expect(page(outcomes)).toMatchFileSnapshot(file.pathname);
  } finally {
    await ground.stop();
  }
});
