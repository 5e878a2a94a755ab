/** Values for the parameters of a control's route. */
export type ControlValues = Readonly<Record<string, string | number | boolean>>;

/** Uses a control; the view then shows the error, if any, and the new state. */
export type Control = (name: string, values?: ControlValues) => void;
