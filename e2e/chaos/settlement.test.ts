import { it } from 'vitest';
import { surviveShortChaos } from './short-chaos.ts';

it('three replicas settle each payment once and tell nobody anything false, whatever fails', async () => {
  await surviveShortChaos(100);
}, 300_000);
