import type { Scenario } from '../scenario.ts';
import { accepted } from './accepted.ts';
import { channel } from './channel.ts';
import { channelGrowth } from './channel-growth.ts';
import { create } from './create.ts';
import { settle, verify } from './facilitator.ts';
import { growth } from './growth.ts';
import { longChain } from './long-chain.ts';
import { mandate } from './mandate.ts';
import { node } from './node.ts';
import { programs } from './programs.ts';
import { request } from './request.ts';
import { snapshots } from './snapshots.ts';
import { startUp } from './start-up.ts';
import { upfront } from './upfront.ts';

/** All scenarios, in the order of the results. */
export const scenarios: readonly Scenario[] = [
  request,
  accepted,
  upfront,
  channel,
  channelGrowth,
  create,
  verify,
  settle,
  mandate,
  node,
  programs,
  growth,
  snapshots,
  longChain,
  startUp,
];
