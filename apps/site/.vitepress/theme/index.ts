import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { Diagram } from './diagram.ts';
// oxlint-disable-next-line import/no-unassigned-import -- a style has nothing to assign
import './tables.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
} satisfies Theme;
