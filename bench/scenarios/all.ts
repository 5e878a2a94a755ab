import type { Scenario } from '../harness/scenario.ts';
import { blocks } from './blocks.ts';
import { create } from './create.ts';
import { growth } from './growth.ts';
import { limits } from './limits.ts';
import { node } from './node.ts';
import { nodeMemory } from './node-memory.ts';
import { pending } from './pending.ts';
import { replicas } from './replicas.ts';
import { request } from './request.ts';
import { settle } from './settle.ts';
import { signatures } from './signatures.ts';
import { startUp } from './start-up.ts';
import { unpaid } from './unpaid.ts';
import { verify } from './verify.ts';
import { weight } from './weight.ts';

/** In the order of the results. */
export const scenarios: readonly Scenario[] = [
  request,
  create,
  verify,
  settle,
  blocks,
  unpaid,
  pending,
  growth,
  replicas,
  node,
  nodeMemory,
  signatures,
  startUp,
  weight,
  limits,
];
