/** The program that asks for a resource: its version, the application, and the depth and place of its call. */
export interface AskingProgram {
  readonly version: number;
  readonly applicationId: bigint;
  /** The highest version among the program and those that called it. */
  readonly highestVersion: number;
  /** The member of the group sent to the node below which it runs. */
  readonly topIndex: number;
}

/** Asked last for a resource that no transaction names; a simulation allows and notes it. Without one it is refused. */
export interface UnnamedResources {
  account(program: AskingProgram, address: Uint8Array): boolean;
  asset(program: AskingProgram, assetId: bigint): boolean;
  application(program: AskingProgram, applicationId: bigint): boolean;
  holding(program: AskingProgram, address: Uint8Array, assetId: bigint): boolean;
  locals(program: AskingProgram, address: Uint8Array, applicationId: bigint): boolean;
  /** `isNew`: the application was created in the group. */
  box(program: AskingProgram, owner: bigint, name: Uint8Array, isNew: boolean): boolean;
  /** How many references to boxes it has added. */
  readonly boxReferences: number;
  /**
   * Called before the first program, when the boxes and programs that the group names need all of its references or more:
   * so many should be added. False: there is no room.
   */
  coverReads(count: number): boolean;
  /** Called when the bytes of boxes need more references than the group names: so many should be added. */
  needBoxReferences(count: number): void;
}
