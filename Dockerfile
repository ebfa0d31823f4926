# Three stages: what it needs to run, what it takes to build, and the image, which has of both only what runs.
# Exact versions and `npm ci`: the same commit is the same image. Install scripts are not run; no package needs its own.
ARG NODE_VERSION=20.20.2

FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
COPY console console
RUN node scripts/build.mjs

FROM node:${NODE_VERSION}-bookworm-slim
WORKDIR /app
# For SQLite alone, on a volume: nothing else is written, and the root file system may be read-only.
RUN install -d -o node -g node data && ln -s /app/scripts/tidings.mjs /usr/local/bin/tidings
COPY package.json LICENSE ./
COPY scripts scripts
COPY --from=packages /app/node_modules node_modules
# Without src beside it, nothing is ever built or installed at a start.
COPY --from=build /app/dist dist
USER node
# A container has an address of its own: 127.0.0.1 would answer nobody else.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
EXPOSE 3000
# Alive, not ready: a database that is down is no reason to end every process.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: the signal of a stop reaches the engine, which finishes what is in flight.
ENTRYPOINT ["node", "scripts/tidings.mjs"]
CMD ["serve"]
