import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { Diagram } from './diagram.ts';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
} satisfies Theme;
