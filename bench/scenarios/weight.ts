import { fileURLToPath } from 'node:url';
import { installSize, type InstallSize, type KnownSizes } from '../harness/install-size.ts';
import { figure } from '../harness/ratio.ts';
import type { Scenario } from '../harness/scenario.ts';
import type { Slice } from '../harness/sample.ts';
import { OURS } from './sides.ts';

/** Each package beside what a user would take instead, then what each role installs altogether. */
const installations = [
  { name: 'package core', ours: ['@avm402/core'], stock: ['@x402/core'] },
  { name: 'package algorand', ours: ['@avm402/algorand'], stock: ['algosdk'] },
  { name: 'package avm', ours: ['@avm402/avm'], stock: ['@x402/avm'] },
  { name: 'package client', ours: ['@avm402/client'], stock: ['@x402/fetch'] },
  { name: 'package server', ours: ['@avm402/server'], stock: ['@x402/express'] },
  { name: 'package facilitator', ours: ['@avm402/facilitator'], stock: [] },
  { name: 'package devnode', ours: ['@avm402/devnode'], stock: [] },
  { name: 'a client', ours: ['@avm402/client'], stock: ['@x402/fetch', '@x402/avm'] },
  { name: 'a server', ours: ['@avm402/server', '@avm402/avm'], stock: ['@x402/express', '@x402/avm'] },
  { name: 'a facilitator', ours: ['@avm402/facilitator'], stock: ['@x402/core', '@x402/avm', 'express'] },
] as const;

const here = fileURLToPath(import.meta.url);
const SIZE = 'MiB';
const MEBIBYTE = 2 ** 20;

export const weight: Scenario = {
  name: 'weight',
  title: 'Size of an installation',
  method:
    'All files of an installation with everything that it depends on, each package once; of our packages what they ' +
    'publish. Beside algorand stands algosdk. There is no stock facilitator program; one needs a web framework.',
  ratios: [{ name: 'size', measure: figure(SIZE), better: 'less' }],
  async run() {
    const known: KnownSizes = new Map();
    const slices: Slice[] = [];
    for (const { name, ours, stock } of installations) {
      slices.push(sliceOf(name, OURS, await installSize(ours, here, known)));
      if (stock.length > 0) slices.push(sliceOf(name, 'stock', await installSize(stock, here, known)));
    }
    return slices;
  },
};

function sliceOf(name: string, side: string, { bytes, packages }: InstallSize): Slice {
  const figures = { [SIZE]: Math.round((bytes / MEBIBYTE) * 100) / 100, packages };
  return { case: name, side, round: 1, operations: 1, errors: {}, seconds: 0, figures };
}
