/** The result of one check. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  /** `problem`: a payment fails. `warning`: it works here and now, but not for everybody. `skipped`: not checked. */
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix };
}

export function problem(check: string, message: string, fix: string): Finding {
  return { check, status: 'problem', message, fix };
}

export function skipped(check: string, message: string): Finding {
  return { check, status: 'skipped', message };
}
