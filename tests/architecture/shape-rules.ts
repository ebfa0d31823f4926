import { codeOnly } from './source-text.ts';
import type { SourceFile } from './rules.ts';
