import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './tokens.css';
import './style.css';
import './pieces.css';
import { languageNow } from './words/words.ts';

document.documentElement.lang = languageNow();
const place = document.getElementById('console');
if (place)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
