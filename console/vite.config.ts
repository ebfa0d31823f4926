import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Everything from our own server: no inline script, no other host, names that change with their content. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2022',
  },
  // While the pages are worked at: the API is that of a server beside it.
  server: { port: 3002, proxy: { '/api': 'http://localhost:3000' } },
});
