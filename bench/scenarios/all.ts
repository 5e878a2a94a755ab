import type { Scenario } from '../harness/scenario.ts';
import { create } from './create.ts';
import { signatures } from './signatures.ts';

/** In the order of the results. */
export const scenarios: readonly Scenario[] = [create, signatures];
