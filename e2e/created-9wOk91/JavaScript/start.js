// Starts a chain, a facilitator and the seller, buys once, and ends.
import { environment, stop } from './chain.js';

Object.assign(process.env, environment);
const { listener } = await import('./seller.js');
await import('./buyer.js');
listener.close();
await stop();
