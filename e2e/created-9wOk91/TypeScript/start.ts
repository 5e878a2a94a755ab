// Starts a chain, a facilitator and the seller, buys once, and ends.
import { environment, stop } from './chain.ts';

Object.assign(process.env, environment);
const { listener } = await import('./seller.ts');
await import('./buyer.ts');
listener.close();
await stop();
