/** The look of the pages of src/http, denser: this one is worked with. */
export const style = `
:root{color-scheme:light dark;--paper:#faf8f4;--ink:#1d1b18;--muted:#665f56;--hair:#ded8ce;--person:#b3261e;--accent:#1a56a8}
@media (prefers-color-scheme:dark){:root{--paper:#1a1917;--ink:#ece8e1;--muted:#a8a196;--hair:#3a3732;--person:#f2938c;--accent:#8fb9f2}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:14px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:240px minmax(0,1fr);min-height:100vh}
a{color:var(--accent)}
a:focus-visible,pre:focus-visible,iframe:focus-visible{outline:3px solid var(--accent);outline-offset:1px}
.skip{position:absolute;left:-999px;background:var(--paper);padding:8px}
.skip:focus{left:8px;top:8px}
nav{border-right:1px solid var(--hair);padding:16px;overflow-y:auto;max-height:100vh;position:sticky;top:0}
nav h2{font-size:14px;margin:16px 0 4px}
nav h2:first-child{margin-top:0}
nav small{color:var(--muted);font-size:12px;font-weight:400}
nav ul{list-style:none;margin:0;padding:0}
nav li{display:flex;gap:4px;padding:2px 0}
nav li span{flex:1;min-width:0;overflow-wrap:anywhere}
nav a,.choice a{padding:0 4px}
a[aria-current]{background:var(--ink);color:var(--paper);text-decoration:none}
main{padding:16px;min-width:0}
h1{font-size:20px;line-height:1.4;margin:0;overflow-wrap:anywhere}
p{margin:4px 0}
.choice{margin-left:16px}
.hint{color:var(--muted);font-size:12px}
kbd{font:12px ui-monospace,monospace;border:1px solid var(--hair);padding:0 4px}
.parts{display:flex;flex-wrap:wrap;gap:16px;margin-top:12px;align-items:flex-start}
iframe{box-sizing:content-box;border:1px solid var(--hair);height:calc(100vh - 140px);min-height:480px;max-width:calc(100% - 2px)}
.beside{flex:1 1 360px;min-width:0}
.beside h2,.problem h2{font-size:14px;margin:0 0 4px}
pre{margin:0 0 16px;padding:12px;border:1px solid var(--hair);font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;max-height:calc(50vh - 90px);min-height:160px;overflow-y:auto}
.problem{border-left:3px solid var(--person);padding-left:12px;margin-bottom:16px}
@media (max-width:800px){body{grid-template-columns:minmax(0,1fr)}nav{position:static;max-height:none;border-right:0;border-bottom:1px solid var(--hair)}}
`;
