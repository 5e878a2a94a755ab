/** The longest byte string on the stack. */
export const MAX_BYTES = 4096;

/** The most values on the stack. */
export const MAX_STACK = 1000;

/** The scratch slots of a program. */
export const SLOTS = 256;

/** The budget of a call's program; the calls of a group share theirs. */
export const BUDGET_PER_CALL = 700;

/** Nothing has an id up to this one; a program that uses one has mistaken a slot for an id. */
export const LOW_ID = 255n;

/** The first version with jumps to the very end of a program. */
export const JUMPS_TO_END_SINCE = 2;

/** The first version with backward jumps. */
export const BACK_JUMPS_SINCE = 4;

/** The first version that may use the accounts of applications that its call names. */
export const APPLICATION_ACCOUNTS_SINCE = 7;

/** The first version that may use what other members of the group name, and access lists. */
export const SHARED_SINCE = 9;

/** The first version whose branches have varints for offsets. */
export const VARINT_BRANCHES_SINCE = 13;

/** The first version whose programs get a salt by default. */
export const SALTED_SINCE = 13;

/** Bytes of boxes that each reference to one lets its group read, and write. */
export const BYTES_PER_BOX_REFERENCE = 2048;
