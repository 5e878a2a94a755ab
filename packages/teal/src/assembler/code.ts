import type { Place, Token } from './token.ts';

/** A constant that an automatic block may hold. */
export type UnsettledCode =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'byte'; readonly value: Uint8Array };

/** What one instruction of the source becomes. Constants and branches get their bytes when all else is known. */
export type Code = Place &
  (
    | UnsettledCode
    | { readonly kind: 'bytes'; readonly bytes: ArrayLike<number> }
    /** A constant for which the automatic block has no room. */
    | { readonly kind: 'lost'; readonly use: UnsettledCode }
    | { readonly kind: 'branch'; readonly opcode: number; readonly label: Token }
    | { readonly kind: 'table'; readonly opcode: number; readonly labels: readonly Token[] }
  );
