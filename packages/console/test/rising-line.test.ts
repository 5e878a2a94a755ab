import type { VNode } from 'preact';
import { expect, it } from 'vitest';
import { AssetAmount } from '../src/page/parts/amount.tsx';
import { RisingLine } from '../src/page/payments/rising-line.tsx';

/** The amounts in a view, as they are given to be shown. */
function amountsIn(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(amountsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, props } = node as VNode<{ units?: unknown; children?: unknown }>;
  return type === AssetAmount ? [props.units] : amountsIn(props.children);
}

it.each([['9007199254740993'], ['18446744073709551615'], ['0']])('the line of what was spent ends at %s', (spent) => {
  const points = [{ at: 0, spent, traceId: 'a' }];
  expect(amountsIn(RisingLine({ points, asset: '1' }))).toEqual([spent]);
});
