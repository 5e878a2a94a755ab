import { configureGlobal } from 'fast-check';

/** A `maxLength` is how long the inputs of property tests become; by itself it is only a limit, and they stay short. */
configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
