import type { IncomingMessage } from 'node:http';
import { TransportRefusal } from './transport-refusal.ts';

/** The part of a request's body that was read. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  /** Whether the body went on after these bytes, beyond the limit. */
  readonly cut: boolean;
}

/** Limits the memory that the bodies of all requests hold together. */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #held = new Map<IncomingMessage, number>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads at most `limit` bytes. Refuses with 429 when all bodies together hold too much. */
  read(incoming: IncomingMessage, limit: number): Promise<RequestBody> {
    return collect(incoming, limit, (bytes) => {
      // Differs from algod: body-budget
      if (this.#total + bytes > this.#maxBytes) {
        throw new TransportRefusal(429, 'too many bytes in request bodies at once');
      }
      this.#total += bytes;
      this.#held.set(incoming, (this.#held.get(incoming) ?? 0) + bytes);
    });
  }

  /** Frees the memory that a request's body held in the budget. */
  release(incoming: IncomingMessage): void {
    this.#total -= this.#held.get(incoming) ?? 0;
    this.#held.delete(incoming);
  }
}

function collect(incoming: IncomingMessage, limit: number, hold: (bytes: number) => void): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const stop = (): void => void incoming.off('data', take).off('end', end).off('close', lost);
    const end = (): void => {
      stop();
      resolve({ bytes: joined(chunks), cut: false });
    };
    const lost = (): void => {
      stop();
      reject(new TransportRefusal(400, 'the connection was closed before the body was complete'));
    };
    const take = (chunk: Uint8Array): void => {
      const taken = chunk.subarray(0, limit - length);
      try {
        hold(taken.length);
      } catch (error) {
        stop();
        reject(error);
        return;
      }
      chunks.push(taken);
      length += chunk.length;
      if (length <= limit) return;
      stop();
      resolve({ bytes: joined(chunks), cut: true });
    };
    if (incoming.destroyed && !incoming.complete) lost();
    else incoming.on('data', take).on('end', end).on('close', lost);
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}

// Differs from algod: endless-body
const DRAIN_BYTES = 16_000_000;

/** Discards the rest of a body after the answer, so that the connection can be reused; an endless body is cut off. */
export function drain(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  let left = DRAIN_BYTES;
  incoming.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) incoming.destroy();
  });
}
