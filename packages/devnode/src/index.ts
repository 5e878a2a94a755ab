export { askControl, createDevControls, type DevControlsOptions } from './dev/control-client.ts';
export type { ControlName } from './dev/control-table.ts';
export type { DevControls } from './dev/dev-controls.ts';
export { accountOfApplication } from './dev/account-of-application.ts';
export type { ApplicationTrace } from './dev/application-trace.ts';
export { traceGroup, type GroupTrace, type ProgramTrace, type TraceGroupRequest } from './dev/trace-group.ts';
export type { TracedStep } from './dev/traced-step.ts';
export type { DevEvent, EventListener } from './dev/events.ts';
export type { Fault } from './dev/faults.ts';
export type { DevState } from './dev/schema.ts';
export { DevnodeError, type DevnodeErrorCode } from './errors.ts';
export {
  developmentAccounts,
  type DevelopmentAccount,
  type DevelopmentAccountName,
  type DevelopmentAccounts,
} from './genesis/development-accounts.ts';
export type { BlockProduction } from './production/block-producer.ts';
export { startDevnode, type AccountBalance, type Devnode, type DevnodeOptions } from './start-devnode.ts';
