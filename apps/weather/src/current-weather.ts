export interface WeatherReport {
  readonly weather: string;
  /** Degrees Fahrenheit. */
  readonly temperature: number;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The weather of the example: it is always fine. */
export function currentWeather(now: Date): WeatherReport {
  return { weather: 'sunny', temperature: 70, timestamp: now.toISOString() };
}
