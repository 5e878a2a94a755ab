import { DevnodeError, type ErrorDetails } from '../errors.ts';

/** What a rule of the ledger says no with. The message is algod's text without the words of the stages before it. */
export class Refusal extends DevnodeError {
  /** Which member of the group it was, if it was one. */
  readonly member: number | undefined;

  constructor(message: string, member?: number, data?: ErrorDetails) {
    super('refused', message, data === undefined ? {} : { data });
    this.member = member;
  }
}

/** There is no room left in the block, but there may be in the next. */
export class BlockFull extends Refusal {}

/** Runs one step and puts a prefix, made only then, before the message of its refusal. */
export function prefixRefusal<T>(prefix: () => string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(prefix() + error.message, error.member);
    throw error;
  }
}
