import { ZERO_ADDRESS } from '@avm402/algorand/address';
import type { VNode } from 'preact';
import { expect, it } from 'vitest';
import { Movement } from '../src/page/chain/movement.tsx';
import { Address } from '../src/page/parts/address.tsx';

function addressesIn(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(addressesIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, props } = node as VNode<{ address?: unknown; children?: unknown }>;
  return type === Address ? [props.address] : addressesIn(props.children);
}

it.each([
  [['A', ZERO_ADDRESS], { type: 'pay', amt: 5 }],
  [['A', ZERO_ADDRESS], { type: 'axfer', xaid: 1, aamt: 5 }],
  [['A', 'B'], { type: 'pay', amt: 5, rcv: 'B' }],
  [['A'], { type: 'appl', apid: 1 }],
])('%j are shown, also the address of zeros, which loses what it gets', (shown, fields) => {
  expect(addressesIn(Movement({ transaction: { snd: 'A', ...fields } }))).toEqual(shown);
});
