import type { VNode } from 'preact';
import { expect, it } from 'vitest';
import { GroupFlow } from '../src/page/chain/group-flow.tsx';

function textOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOf).join('');
  if (typeof node !== 'object' || node === null) return typeof node === 'string' ? node : '';
  return textOf((node as VNode<{ children?: unknown }>).props.children);
}

it.each([
  ['a signature', { sig: 'AA==' }],
  ['a signature of another key', { sig: 'AA==', sgnr: 'A' }],
  ['a multisig', { msig: {} }],
  ['a program', { lsig: {} }],
  ['a Falcon signature', { pqsig: {} }],
  ['nobody', {}],
])('a member says that it is signed by %s', (how, signatures) => {
  const txn = { type: 'pay', snd: 'A' };
  expect(textOf(GroupFlow({ members: [{ signed: { txn, ...signatures } }] }))).toContain(`signed by ${how} `);
});
