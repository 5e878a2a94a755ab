/** The program that asks for a resource: its version, the application, and the depth and place of its call. */
export interface AskingProgram {
  readonly version: number;
  readonly applicationId: bigint;
  /** The highest version among the program and those that called it. */
  readonly highestVersion: number;
  /** The member of the group sent to the node below which it runs. */
  readonly topIndex: number;
}

/** Asked last for a resource that no transaction names. A simulation allows and records it; otherwise it is refused. */
export interface UnnamedResources {
  account(program: AskingProgram, address: Uint8Array): boolean;
  asset(program: AskingProgram, assetId: bigint): boolean;
  application(program: AskingProgram, applicationId: bigint): boolean;
  holding(program: AskingProgram, address: Uint8Array, assetId: bigint): boolean;
  locals(program: AskingProgram, address: Uint8Array, applicationId: bigint): boolean;
  /** `size`: bytes of the box in the ledger; `isNew`: the application was created in the group. */
  box(program: AskingProgram, owner: bigint, name: Uint8Array, found: { size: number; isNew: boolean }): boolean;
  /**
   * Called before the first program with the bytes of the read budget that are left; negative if the boxes and programs
   * named by the group exceed it. False if there is no room for the references that would cover the rest.
   */
  leftToRead(bytes: number): boolean;
  /** Called after an opcode has passed, with the bytes that the group has written so far. */
  written(bytes: number): void;
  /** The bytes that the group may write with all references that can still be added. */
  readonly writeBudget: number;
}
