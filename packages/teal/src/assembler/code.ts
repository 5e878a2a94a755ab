import type { Place, Token } from './token.ts';

/** A constant that may go into an automatic block. */
export type UnsettledCode =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'byte'; readonly value: Uint8Array };

/** The code of one source instruction. Constants and branches get their bytes once everything else is known. */
export type Code = Place &
  (
    | UnsettledCode
    | { readonly kind: 'bytes'; readonly bytes: ArrayLike<number> }
    /** A constant for which the automatic block has no room. */
    | { readonly kind: 'lost'; readonly use: UnsettledCode }
    | { readonly kind: 'branch'; readonly opcode: number; readonly label: Token }
    | { readonly kind: 'table'; readonly opcode: number; readonly labels: readonly Token[] }
  );
